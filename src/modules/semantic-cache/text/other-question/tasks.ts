import { stemOf } from '../reading/stems.ts';
import type { Word } from '../reading/words.ts';

/** Verbs of commands, one group per line: verbs of a group are interchangeable. */
const lines = `
write draft compose create generate produce prepare author build design develop implement code
show list display fetch return print name enumerate view see
explain describe clarify define illustrate elaborate tell
summarize summarise recap condense shorten
delete remove drop erase clear purge
change update modify set edit alter adjust switch move configure
add insert append include attach put invite log record register enter
send mail email forward message submit deliver post
book reserve schedule arrange plan
cancel revoke abort withdraw
start launch run execute begin trigger
restart reboot relaunch
stop end terminate kill halt shut pause
fix repair correct solve resolve debug
calculate compute determine work evaluate
convert transform turn change
translate render
rewrite rephrase paraphrase reword improve polish
check verify validate test confirm inspect
compare contrast
increase raise boost
decrease reduce lower cut
enable activate turn switch
disable deactivate turn switch
search find look locate
install set setup
rename name
copy duplicate clone
move transfer migrate
open
close
merge
request order buy purchase
sign
approve accept
reject decline deny
refund
sort order arrange rank
count
suggest recommend propose
answer reply respond
silence mute
retry rerun
review
grade rate score classify
extract
insure
lower
shorten
assign
reassign
release
`;

const groups: ReadonlyMap<string, ReadonlySet<number>> = parseVerbGroups();

/** Whether two prompts are commands for different tasks. */
export function areDifferentTasks(one: readonly Word[], other: readonly Word[]): boolean {
  const [first, second] = [groupsOf(one), groupsOf(other)];
  if (first === undefined || second === undefined) return false;
  return ![...first].some((group) => second.has(group));
}

/** The groups of the verb that a command begins with. */
function groupsOf([first, second]: readonly Word[]): ReadonlySet<number> | undefined {
  if (first === undefined || second === undefined) return undefined;
  // "Answer the mail" is a command; "answer is wrong" and "order of the garter" are not.
  if (/^(?:of|is|are|was|were|and|or|vs|to|do|does|can)$/.test(second.text)) return undefined;
  return groups.get(first.stem);
}

function parseVerbGroups(): Map<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const [at, line] of lines.trim().split('\n').entries())
    for (const verb of line.split(' ')) {
      const stem = stemOf(verb);
      found.set(stem, (found.get(stem) ?? new Set()).add(at));
    }
  return found;
}
