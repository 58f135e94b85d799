// Analyses every regular expression of src, and writes down those that take linear time: npm run test:expressions
import { faultOf } from '../test/regular-expressions/check.ts';
import { sourceExpressions } from '../test/regular-expressions/source-expressions.ts';
import { writeVerified } from '../test/regular-expressions/verified.ts';

const { all } = await sourceExpressions();
const faults = new Map(all.map((one) => [one, faultOf(one)]));
writeVerified(all.filter((one) => faults.get(one) === undefined));
for (const fault of faults.values()) if (fault !== undefined) console.error(fault);
const slow = [...faults.values()].filter((fault) => fault !== undefined).length;
console.log(`${all.length - slow} of ${all.length} expressions take linear time`);
if (slow > 0) process.exitCode = 1;
