SCALE = 1.0


def set_scale(value):
    global SCALE
    SCALE = value
