"""A stint-model file as PyTorch functions: the same layers, written out, over a dict of parameters.

Reads what `plan` writes into a schedule (`model`), where repeated blocks stand written out.
"""
import math

import torch
import torch.nn.functional as F


def pair(layer, key, default):
    return tuple(layer.get(key, default))


def padded(x, layer, value=0.0):
    """Padding is [height, width], which operations take themselves, or [top, left, bottom, right]."""
    p = layer.get("padding", [0, 0])
    if len(p) == 2:
        return x, tuple(p)
    top, left, bottom, right = p
    return F.pad(x, (left, right, top, bottom), value=value), 0


def conv2d(layer, p, x):
    x, padding = padded(x, layer)
    return F.conv2d(x, p["weight"], p.get("bias"), pair(layer, "stride", [1, 1]), padding,
                    pair(layer, "dilation", [1, 1]), layer.get("groups", 1))


def conv_transpose2d(layer, p, x):
    padding = layer.get("padding", [0, 0])
    assert len(padding) == 2, "symmetric padding only"
    return F.conv_transpose2d(x, p["weight"], p.get("bias"), pair(layer, "stride", [1, 1]), tuple(padding),
                              pair(layer, "output_padding", [0, 0]), layer.get("groups", 1),
                              pair(layer, "dilation", [1, 1]))


def max_pool2d(layer, p, x):
    x, padding = padded(x, layer, float("-inf"))
    return F.max_pool2d(x, pair(layer, "kernel", None), pair(layer, "stride", None), padding,
                        pair(layer, "dilation", [1, 1]), layer.get("ceil", False))


def avg_pool2d(layer, p, x):
    padding = layer.get("padding", [0, 0])
    assert len(padding) == 2, "symmetric padding only"
    return F.avg_pool2d(x, pair(layer, "kernel", None), pair(layer, "stride", None), tuple(padding),
                        layer.get("ceil", False), layer.get("count_padding", False))


def batch_norm(layer, p, x):
    return F.batch_norm(x, p["running_mean"], p["running_var"], p["weight"], p["bias"], True,
                        layer.get("momentum", 0.1), layer.get("epsilon", 1e-5))


def layer_norm(layer, p, x):
    return F.layer_norm(x, tuple(p["weight"].shape), p["weight"], p.get("bias"), layer.get("epsilon", 1e-5))


def attention(layer, p, q, k, v):
    def heads(t):
        return t.view(t.shape[0], t.shape[1], layer["heads"], -1).transpose(1, 2)
    y = F.scaled_dot_product_attention(heads(q), heads(k), heads(v), is_causal=layer.get("causal", False),
                                       scale=layer.get("scale"))
    return y.transpose(1, 2).reshape(q.shape[0], q.shape[1], -1)


def reshape(layer, p, x):
    sizes = []
    for place, size in enumerate(layer["shape"]):
        if isinstance(size, str):
            size = -1 if size == "batch" else int(size.split("*")[0]) * x.shape[0]
        sizes.append(x.shape[place] if size == 0 else size)
    return x.reshape(sizes)


def flatten(layer, p, x):
    axis = layer.get("axis", 1)
    return x.reshape(math.prod(x.shape[:axis]), -1)


def relu(layer, p, x):
    return x.clamp(0, layer["max"]) if "max" in layer else F.relu(x)


OPS = {
    "conv2d": conv2d, "conv_transpose2d": conv_transpose2d, "max_pool2d": max_pool2d, "avg_pool2d": avg_pool2d,
    "batch_norm": batch_norm, "layer_norm": layer_norm, "attention": attention, "reshape": reshape,
    "flatten": flatten, "relu": relu,
    "linear": lambda l, p, x: F.linear(x, p["weight"], p.get("bias")),
    "matmul": lambda l, p, a, b: (a.mT if l.get("transpose_a") else a) @ (b.mT if l.get("transpose_b") else b),
    "bias": lambda l, p, x: x + p["bias"],
    "scale": lambda l, p, x: x * p["weight"],
    "affine": lambda l, p, x: x * l.get("factor", 1) + l.get("offset", 0),
    "gelu": lambda l, p, x: F.gelu(x, approximate="tanh" if l.get("tanh") else "none"),
    "sigmoid": lambda l, p, x: torch.sigmoid(x),
    "tanh": lambda l, p, x: torch.tanh(x),
    "softmax": lambda l, p, x: F.softmax(x, l.get("axis", -1)),
    "add": lambda l, p, *xs: sum(xs[1:], xs[0]),
    "mul": lambda l, p, a, b: a * b,
    "concat": lambda l, p, *xs: torch.cat(xs, l.get("axis", 1)),
    "split": lambda l, p, x: torch.split(x, l["sizes"], l.get("axis", 1)),
    "transpose": lambda l, p, x: x.permute(l["order"]),
    "global_avg_pool": lambda l, p, x: x.mean((2, 3), keepdim=True),
    "lrn": lambda l, p, x: F.local_response_norm(x, l["size"], l.get("alpha", 1e-4), l.get("beta", 0.75),
                                                 l.get("k", 1.0)),
    "embedding": lambda l, p, ids: F.embedding(ids, p["weight"]),
    "dropout": lambda l, p, x: x,  # masks differ: models are compared with probability 0
}


def parameters_of(layer, state):
    own = layer["name"] + "."
    found = {name[len(own):]: value for name, value in state.items() if name.startswith(own)}
    if "weight_of" in layer:
        found["weight"] = state[layer["weight_of"] + ".weight"]
    return found


def output_names(layer):
    if "outputs" in layer:
        return layer["outputs"]
    if layer["op"] == "split":
        return [f"{layer['name']}.{i}" for i in range(len(layer["sizes"]))]
    return [layer["name"]]


def apply(layers, state, values):
    """Layers in their order; what they make joins the values."""
    for layer in layers:
        made = OPS[layer["op"]](layer, parameters_of(layer, state), *(values[name] for name in layer["inputs"]))
        for name, value in zip(output_names(layer), made if isinstance(made, tuple) else (made,)):
            values[name] = value


def loss_of_prediction(model, values):
    prediction, label = (values[name] for name in model["loss"]["inputs"])
    if model["loss"]["op"] == "mse":
        return F.mse_loss(prediction, label)
    classes = prediction.movedim(model["loss"].get("axis", -1), -1)
    return F.cross_entropy(classes.reshape(-1, classes.shape[-1]), label.reshape(-1).long())


def loss_of(model, state, batch):
    """The loss of one batch (a dict of inputs by name); running statistics move on the way."""
    values = dict(batch)
    apply(model["layers"], state, values)
    return loss_of_prediction(model, values)


def optimizer_of(model, parameters):
    given = dict(model["optimizer"])
    if given.pop("op") == "sgd":
        return torch.optim.SGD(parameters, lr=given.get("learning_rate", 0.01), momentum=given.get("momentum", 0),
                               weight_decay=given.get("weight_decay", 0))
    return torch.optim.AdamW(parameters, lr=given.get("learning_rate", 0.001),
                             betas=(given.get("beta1", 0.9), given.get("beta2", 0.999)),
                             eps=given.get("epsilon", 1e-8), weight_decay=given.get("weight_decay", 0))
