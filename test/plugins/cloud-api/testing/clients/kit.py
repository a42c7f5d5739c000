"""Shared by the drivers of client libraries for Python."""
import base64
import json
import sys

given = json.loads(sys.argv[1])
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
webhook = base64.b64decode(given["webhook"])


def report(calls):
    """Makes calls one after the other, and prints by their names whether each succeeded, or why not."""
    results = {}
    for name, call in calls.items():
        try:
            result = call()
            if isinstance(result, dict) and "error" in result:
                raise RuntimeError(json.dumps(result["error"]))
            results[name] = True
        except Exception as error:  # noqa: BLE001, every failure is a result
            results[name] = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(results))
