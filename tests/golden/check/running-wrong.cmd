check running-least.hlo running-zeros.hlo
