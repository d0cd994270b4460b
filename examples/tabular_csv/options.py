"""The command line of the example."""

import argparse


def parse_options():
    parser = argparse.ArgumentParser(description="Predict the strength of concrete from its recipe")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--workers", type=int, default=0, help="processes that load the data")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()
