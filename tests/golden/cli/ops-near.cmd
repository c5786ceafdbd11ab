ops dto
