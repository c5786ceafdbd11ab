check running.hlo running-padded.hlo
