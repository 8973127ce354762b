#!/bin/sh
# The SVM solvers beside LIBLINEAR and LIBSVM at the same duality gap. PYTHON names a Python that has scikit-learn.
cd "$(dirname "$0")/../.." || exit 1
python=${PYTHON:-python3}
if ! "$python" -c 'import sklearn' 2>/dev/null; then
	echo "tests/bench/svm.sh: $python has no scikit-learn: comparison with LIBLINEAR and LIBSVM left out (set PYTHON)" >&2
	exit 0
fi
exec "$python" tests/bench/svm/compare.py
