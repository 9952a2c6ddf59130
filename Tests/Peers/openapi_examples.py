"""Validates the examples of an OpenAPI description against their own schemas, with PyPI's jsonschema-rs.

    .build/peers/bin/python Tests/Peers/openapi_examples.py Documentation/openapi.json

Prints one line for each example that is not valid, and the number of examples at the end.
"""

import json
import sys

import jsonschema_rs

with open(sys.argv[1]) as file:
    description = json.load(file)
count = 0


def check(example, schema, place):
    global count
    count += 1
    # References of the schema start at the description's root.
    whole = {"allOf": [schema], "components": description["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    for error in validator.iter_errors(example):
        at = "".join(f"[{part!r}]" for part in error.instance_path)
        print(f"{place}{at}: {error.message}")


def find(value, path, is_schema=False):
    """Finds the examples in `value`. `is_schema` says whether its members are the keywords of a schema."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            find(element, [*path, str(index)], is_schema)
        return
    if not isinstance(value, dict):
        return
    place = "/".join(path)
    if is_schema:
        for example in [value[name] for name in ["example", "default"] if name in value] + value.get("examples", []):
            check(example, value, place)
    elif isinstance(value.get("schema"), dict):
        # A media type, a parameter or a header.
        examples = [value["example"]] if "example" in value else []
        for named in value.get("examples", {}).values():
            examples.append(named["value"])
        for example in examples:
            check(example, value["schema"], place)
    for name, member in value.items():
        if is_schema and name in ["properties", "patternProperties", "$defs"]:
            for property, schema in member.items():
                find(schema, [*path, name, property], True)
        elif name in ["example", "examples", "default", "const", "enum"]:
            continue
        else:
            find(member, [*path, name], is_schema or name == "schema" or path == ["components", "schemas"])


find(description, [])
print(count)
