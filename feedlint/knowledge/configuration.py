"""Names of what reads configuration: parsers, document loaders, dictionaries with attribute access, core counts."""

from __future__ import annotations

PARSERS: frozenset[str] = frozenset(
    {
        "argparse.ArgumentParser",
        "configargparse.ArgumentParser",
        "configargparse.ArgParser",
        "configargparse.get_argument_parser",
        "jsonargparse.ArgumentParser",
        "transformers.HfArgumentParser",
        "simple_parsing.ArgumentParser",
    }
)
DOCUMENT_LOADERS: frozenset[str] = frozenset(
    {
        "yaml.safe_load",
        "yaml.load",
        "yaml.full_load",
        "yaml.unsafe_load",
        "json.load",
        "json.loads",
        "toml.load",
        "toml.loads",
        "tomllib.load",
        "tomllib.loads",
        "tomli.load",
        "tomli.loads",
        "omegaconf.OmegaConf.load",
    }
)
NAMESPACES: frozenset[str] = frozenset(
    {
        "types.SimpleNamespace",
        "argparse.Namespace",
        "easydict.EasyDict",
        "munch.Munch",
        "munch.munchify",
        "addict.Dict",
        "box.Box",
        "dotmap.DotMap",
        "ml_collections.ConfigDict",
        "attrdict.AttrDict",
        "omegaconf.OmegaConf.create",
        "omegaconf.DictConfig",
    }
)
PATH_MAKERS: frozenset[str] = frozenset(
    {
        "os.path.join",
        "os.path.abspath",
        "os.path.realpath",
        "os.path.dirname",
        "os.path.basename",
        "os.path.normpath",
        "os.path.expanduser",
        "pathlib.Path",
        "pathlib.PurePath",
    }
)
CORE_COUNTS: frozenset[str] = frozenset(
    {"os.cpu_count", "multiprocessing.cpu_count", "torch.multiprocessing.cpu_count", "psutil.cpu_count", "os.process_cpu_count"}
)
