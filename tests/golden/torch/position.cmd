eval position.json
