check unread-attribute.tvr
