# SPDX-License-Identifier: Apache-2.0
"""What README shows of a run is what the program prints, and it names every scenario."""
import re
import shlex
import tomllib

import cli_common
from cli_common import CliTest

# A run's output, and the command that printed it: its last line but for a failure's place names it.
SHOWN = re.compile(r"```\n((?:PASS|FAIL)  .*?)```", re.S)
COMMAND = re.compile(r"^  waves: scripts/run (.*) --vcd$", re.M)
# A row of the table of scenarios.
SCENARIO = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.M)


class Readme(CliTest):
    def test_shows_real_output(self):
        root = cli_common.SCENARIOS.parent
        shown = SHOWN.findall((root / "README.md").read_text(encoding="utf-8"))
        self.assertEqual([text.split()[0] for text in shown], ["PASS", "FAIL"])
        for text in shown:
            command = shlex.split(COMMAND.search(text).group(1))
            self.assertEqual(self.cqsim("run", *command, folder=root).stdout, text)

    def test_names_every_scenario(self):
        readme = (cli_common.SCENARIOS.parent / "README.md").read_text(encoding="utf-8")
        about = {
            path.stem: tomllib.loads(path.read_text(encoding="utf-8"))["about"]
            for path in cli_common.SCENARIOS.glob("*.toml")
        }
        self.assertEqual(dict(SCENARIO.findall(readme)), about)


if __name__ == "__main__":
    cli_common.main()
