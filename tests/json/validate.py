# SPDX-License-Identifier: Apache-2.0
# validate.py SCHEMA NAME FILE: says where FILE is not what $defs/NAME of SCHEMA asks for.
import json
import sys

from jsonschema import Draft202012Validator

schema_path, name, path = sys.argv[1:]
with open(schema_path, encoding="utf-8") as file:
    schema = json.load(file)
with open(path, encoding="utf-8") as file:
    document = json.load(file)

Draft202012Validator.check_schema(schema)
validator = Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"})
errors = sorted(validator.iter_errors(document), key=lambda e: [str(part) for part in e.absolute_path])
for error in errors[:5]:
    where = "/".join(str(part) for part in error.absolute_path) or "the document"
    print(f"{name}: {where}: {error.message[:300]}")
sys.exit(1 if errors else 0)
