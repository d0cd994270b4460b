class Config:
    def __init__(self):
        self.scale = 1.0
    def merge(self, values):
        for k, v in values.items():
            setattr(self, k, v)

cfg = Config()
