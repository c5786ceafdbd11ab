egg costs.egg --max-dag=4
