exlpain
