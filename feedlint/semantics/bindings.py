"""Which bindings of a name reach a use of it, on the structured statements, without a control flow graph."""

from __future__ import annotations

from ..ir import nodes as ir


def reaching(bindings: list[ir.Binding], use: ir.Node, scope: ir.Scope) -> tuple[list[ir.Binding], bool]:
    """The bindings whose value `use` may see, and whether one of them is certain to have run before.

    All are of one name in one scope, in source order, and `use` is in code of the same scope. A binding ends the search
    when its block encloses the use; where only branches bind, all of them and what came before may reach; inside of a
    loop the end of the body reaches its start.
    """
    if len(bindings) == 1 and bindings[0].kind in ("parameter", "import", "function", "class"):
        return bindings, True
    statement = use.statement
    blocks = _enclosing_blocks(statement, scope)
    found: list[ir.Binding] = []
    settled: ir.Binding | None = None
    for binding in reversed(bindings):
        if binding.kind == "parameter":
            found.append(binding)
            settled = binding
            break
        if isinstance(binding.node, ir.Comprehension):
            if use in _inside(binding.node, use):
                found.append(binding)
                settled = binding
            continue
        place = _statement(binding)
        if not _before(place, statement, binding):
            continue
        if _exclusive(place, blocks):
            continue
        found.append(binding)
        if _certain(binding, place, blocks) or _both_branches(binding.name, place, blocks):
            settled = binding
            break
    around = _loops(statement, scope)
    if around:
        found += _from_the_end_of_loops(bindings, found, settled, statement, around)
    return found, settled is not None


def _inside(comprehension: ir.Comprehension, use: ir.Node) -> tuple[ir.Node, ...]:
    return (use,) if use is comprehension or any(node is comprehension for node in use.ancestors()) else ()


def _statement(binding: ir.Binding) -> ir.Statement:
    node = binding.node
    return node if isinstance(node, ir.Statement) else node.statement


def _before(place: ir.Statement, use: ir.Statement, binding: ir.Binding) -> bool:
    """A statement that binds runs its own expressions first; the targets of for and with are seen in their bodies only."""
    return place.order < use.order


def _enclosing_blocks(statement: ir.Statement, scope: ir.Scope) -> dict[ir.Block, ir.Statement]:
    """Each block around the statement, with the statement of that block on the way down to it."""
    blocks: dict[ir.Block, ir.Statement] = {}
    current: ir.Node = statement
    while isinstance(current, ir.Statement) and current is not scope.node:
        blocks[current.block] = current
        owner = current.block.owner
        if owner is scope.node or owner is current:
            break
        current = owner.statement if not isinstance(owner, ir.Statement) else owner
    return blocks


def _exclusive(place: ir.Statement, blocks: dict[ir.Block, ir.Statement]) -> bool:
    """Whether the binding stands in a branch of an `if` (or a case) whose other branch holds the use."""
    current: ir.Node = place
    while isinstance(current, ir.Statement):
        block = current.block
        if block in blocks:
            return False
        owner = block.owner
        if isinstance(owner, (ir.If, ir.Match)):
            for other in blocks:
                if other.owner is owner and other is not block:
                    return True
        if isinstance(owner, (ir.Function, ir.Class, ir.Module)) or not isinstance(owner, ir.Statement):
            return False
        current = owner
    return False


def _leaves(block: ir.Block) -> bool:
    """Whether a block never runs past its end."""
    if not block.statements:
        return False
    last = block.statements[-1]
    if isinstance(last, (ir.Return, ir.Raise)):
        return True
    if isinstance(last, ir.Jump):
        return last.kind in ("break", "continue")
    if isinstance(last, ir.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return False


def _certain(binding: ir.Binding, place: ir.Statement, blocks: dict[ir.Block, ir.Statement]) -> bool:
    """Whether the binding has run whenever the use is reached."""
    if binding.kind in ("augmented", "delete"):
        return binding.kind == "augmented" and place.block in blocks
    if isinstance(place, ir.For) and place.block in blocks:
        return place.body in blocks  # after the loop, the target may never have been bound
    current: ir.Node = place
    while isinstance(current, ir.Statement):
        block = current.block
        if block in blocks:
            return True
        owner = block.owner
        if isinstance(owner, ir.With) and block is owner.body:
            current = owner
            continue
        if isinstance(owner, ir.If) and _leaves(owner.orelse if block is owner.body else owner.body):
            current = owner
            continue
        if isinstance(owner, ir.Try) and block in (owner.final,):
            current = owner
            continue
        return False
    return False


def binds(name: str, block: ir.Block) -> bool:
    """Whether running the block to its end always gives the name a value."""
    for statement in block.statements:
        if isinstance(statement, ir.Assign) and any(_targets(name, target) for target in statement.targets):
            return True
        if isinstance(statement, (ir.Import, ir.ImportFrom)):
            if any((bound or given.partition(".")[0]) == name for given, bound in statement.names):
                return True
        if isinstance(statement, (ir.Function, ir.Class)) and statement.name == name:
            return True
        if isinstance(statement, ir.With):
            if any(t is not None and _targets(name, t) for _, t in statement.items) or binds(name, statement.body):
                return True
        if isinstance(statement, ir.If) and statement.orelse.statements:
            if _binds_or_leaves(name, statement.body) and _binds_or_leaves(name, statement.orelse):
                return True
        if isinstance(statement, ir.Try):
            if (binds(name, statement.body) or binds(name, statement.orelse)) and all(
                _binds_or_leaves(name, handler.block) for handler in statement.handlers
            ):
                return True
    return False


def _binds_or_leaves(name: str, block: ir.Block) -> bool:
    return _leaves(block) or binds(name, block)


def _targets(name: str, target: ir.Expression) -> bool:
    if isinstance(target, ir.Name):
        return target.id == name
    if isinstance(target, ir.Display):
        return any(_targets(name, item) for item in target.items)
    return isinstance(target, ir.Star) and _targets(name, target.value)


def _both_branches(name: str, place: ir.Statement, blocks: dict[ir.Block, ir.Statement]) -> bool:
    """Whether the `if` or `try` around the binding gives the name a value on every path.

    The search goes backwards, so it may end only at the first binding of that statement: what the other branches bind
    has been met by then, since it stands between.
    """
    current: ir.Node = place
    top: ir.Statement | None = None
    while isinstance(current, ir.Statement):
        if current.block in blocks:
            top = current
            break
        owner = current.block.owner
        if not isinstance(owner, ir.Statement) or isinstance(owner, (ir.Function, ir.Class, ir.Module)):
            return False
        current = owner
    if not isinstance(top, (ir.If, ir.Try)):
        return False
    lone = ir.Block(top, "body")
    lone.statements.append(top)
    if not binds(name, lone):
        return False
    first = top.body
    return any(statement is place for statement in _statements(first)) and not _bound_earlier(name, place, first)


def _statements(block: ir.Block) -> list[ir.Statement]:
    return [node for node in ir.walk_block(block) if isinstance(node, ir.Statement)]


def _bound_earlier(name: str, place: ir.Statement, block: ir.Block) -> bool:
    return any(
        isinstance(s, ir.Assign) and s.order < place.order and any(_targets(name, t) for t in s.targets)
        for s in _statements(block)
    )


def _loops(statement: ir.Statement, scope: ir.Scope) -> list[ir.For | ir.While]:
    found: list[ir.For | ir.While] = []
    child: ir.Node = statement
    for node in statement.ancestors():
        if node is scope.node or isinstance(node, (ir.Function, ir.Class)):
            break
        if isinstance(node, (ir.For, ir.While)) and isinstance(child, ir.Statement):
            if child.block is node.body or isinstance(node, ir.While):
                found.append(node)
        child = node
    return found


def _from_the_end_of_loops(
    bindings: list[ir.Binding],
    found: list[ir.Binding],
    settled: ir.Binding | None,
    use: ir.Statement,
    around: list[ir.For | ir.While],
) -> list[ir.Binding]:
    """Bindings later in the body of a loop that the use sees from the iteration before."""
    more = []
    for loop in around:
        if settled is not None and settled.kind != "parameter":
            place = _statement(settled)
            if place is loop or any(node is loop for node in place.ancestors()):
                break  # bound anew in each iteration before the use
        for binding in bindings:
            if binding in found or binding in more or isinstance(binding.node, ir.Comprehension):
                continue
            place = _statement(binding)
            if place.order >= use.order and any(node is loop for node in place.ancestors()):
                more.append(binding)
    return more
