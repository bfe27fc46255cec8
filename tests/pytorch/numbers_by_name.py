"""Numbers that follow from a name and a position alone: the same as tests/support/numbers_by_name.hpp."""
import numpy


def hash_of(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value


def integers(name, count):
    """splitmix64 of the name's hash plus the position."""
    with numpy.errstate(over="ignore"):
        x = numpy.uint64(hash_of(name)) + numpy.arange(count, dtype=numpy.uint64)
        x = x + numpy.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return x ^ (x >> numpy.uint64(31))


def signed(name, count):
    """In [-1, 1), exact in f32."""
    return ((integers(name, count) >> numpy.uint64(40)).astype(numpy.float64) / 2**23 - 1).astype(numpy.float32)


def first_state(name, shape):
    """Matrices and kernels scaled by what they sum over, weights of norms 1, biases small, the rest 0."""
    count = int(numpy.prod(shape))
    if name.endswith((".momentum", ".mean", ".square", ".running_mean")):
        return numpy.zeros(shape, numpy.float32)
    if name.endswith(".running_var") or (name.endswith(".weight") and len(shape) == 1):
        return numpy.ones(shape, numpy.float32)
    scale = numpy.float32(0.1 if len(shape) == 1 else 1 / numpy.sqrt(count / shape[0]))
    return (signed(name, count) * scale).reshape(shape)
