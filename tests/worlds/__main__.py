"""Print how often ranking_check takes scores for turned round, where they are and where they are not.

`python -m tests.worlds`; with 2,000 draws it takes some ten minutes. The tables are in markdown.
"""

import argparse

import duckdb

import ranking_udfs
from tests.worlds.simulate import CLEAN, DISASTERS_OF_GOOD_MODELS, SPOKEN_FOR, UNRELATED, severities

AT_ONCE = 100  # draws of a kind that stand in one table
TITLES = {
    "Disasters of a good model": DISASTERS_OF_GOOD_MODELS,
    "Nothing is wrong": CLEAN,
    "Nothing is wrong, in ranks": SPOKEN_FOR,
    "One list for all in an unrelated order": UNRELATED,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.worlds", description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000, help="of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with ranking_udfs.register(duckdb.connect()) as con:
        for title, kinds in TITLES.items():
            print(f"\n## {title}\n\n| kind | draws | wrong per 1,000 | doubtful per 1,000 |")
            print("|---|---|---|---|")
            for name, kind in kinds.items():
                told = []
                for seed in range(given.seed, given.seed + max(given.draws // AT_ONCE, 1)):
                    told.append(severities(con, {name: kind}, {name: AT_ONCE}, seed)[name])
                draws = AT_ONCE * len(told)
                shares = [1_000 * sum(one[word] for one in told) / draws for word in ("wrong", "doubtful")]
                print(f"| {name} | {draws} | {shares[0]:.4g} | {shares[1]:.4g} |", flush=True)


if __name__ == "__main__":
    main()
