import { stemOf } from '../reading/stems.ts';
import { WordTable } from '../reading/word-table.ts';
import type { Word } from '../reading/words.ts';

/** Words that reverse a request when exchanged. */
const oppositePairs = `
enable/disable activate/deactivate buy/sell purchase/sell increase/decrease increase/reduce raise/lower raise/reduce rise/fall rise/drop grow/shrink
before/after first/last first/second former/latter maximum/minimum max/min maximize/minimize import/export upload/download open/close start/stop start/end start/finish begin/end begin/stop begin/finish
add/remove add/delete add/subtract insert/delete insert/remove with/without more/less more/fewer best/worst better/worse always/never cheap/expensive cheapest/priciest old/new older/newer oldest/newest
lose/gain win/lose winner/loser send/receive sender/receiver sender/recipient borrow/lend borrower/lender ask/answer teach/learn arrive/depart arrive/leave arrival/departure encode/decode encrypt/decrypt push/pull
ascend/descend ascending/descending ascendant/descendant left/right top/bottom up/down upper/lower in/out on/off inside/outside above/below over/under early/late earlier/later earliest/latest fast/slow faster/slower fastest/slowest
high/low higher/lower highest/lowest long/short longer/shorter longest/shortest lengthen/shorten big/small bigger/smaller biggest/smallest large/small larger/smaller largest/smallest tall/short taller/shorter tallest/shortest wide/narrow wider/narrower deep/shallow thick/thin
hot/cold hottest/coldest warm/cold warm/cool wet/dry light/dark light/heavy lighter/heavier lighter/darker strong/weak stronger/weaker strongest/weakest hard/soft hard/easy harder/easier easy/difficult simple/complex rich/poor richest/poorest young/old younger/older youngest/oldest good/bad good/evil
true/false yes/no accept/reject accept/decline accept/refuse allow/forbid allow/block allow/prevent allow/deny permit/prohibit permit/forbid approve/deny approve/reject grant/deny grant/revoke grant/remove give/remove give/revoke assign/revoke attach/detach lock/unlock connect/disconnect install/uninstall compress/decompress compress/extract zip/unzip serialize/deserialize mount/unmount
show/hide visible/hidden include/exclude including/excluding join/leave create/delete create/destroy create/remove make/destroy build/destroy build/demolish append/prepend read/write reader/writer input/output client/server frontend/backend public/private internal/external local/remote static/dynamic sync/async synchronous/asynchronous
positive/negative profit/loss income/expense income/expenditure asset/liability credit/debit creditor/debtor deposit/withdraw deposit/withdrawal bull/bear bullish/bearish call/put gross/net revenue/cost demand/supply employer/employee landlord/tenant buyer/seller vendor/customer lessor/lessee
parent/child parent/subsidiary owner/subsidiary teacher/student doctor/patient husband/wife brother/sister mother/father son/daughter man/woman men/women boy/girl king/queen host/guest master/slave primary/secondary primary/replica leader/follower predator/prey attacker/victim
north/south east/west northern/southern eastern/western morning/evening day/night summer/winter past/future previous/next last/next most/least majority/minority many/few all/none all/some every/no everyone/nobody something/nothing both/neither either/neither any/none everything/nothing
legal/illegal safe/dangerous safe/unsafe possible/impossible known/unknown formal/informal advantage/disadvantage advantage/drawback benefit/risk benefit/drawback benefit/harm pro/con pros/cons strength/weakness cause/effect cause/prevent cause/cure symptom/cause symptom/treatment cause/treatment
prevent/cure prevent/treat attack/defend offense/defense offensive/defensive hire/fire promote/demote marry/divorce love/hate like/dislike like/hate remember/forget find/lose expand/shrink expand/collapse widen/narrow speed/slow accelerate/decelerate heat/cool freeze/melt freeze/thaw boil/freeze fill/empty full/empty
load/unload pack/unpack wrap/unwrap fold/unfold tie/untie dress/undress wake/sleep laugh/cry live/die alive/dead birth/death born/died acquire/sell merge/split combine/separate multiply/divide plus/minus sum/difference product/quotient numerator/denominator odd/even prime/composite
horizontal/vertical row/column width/height domestic/foreign domestic/international national/international urban/rural single/married male/female adult/child raw/cooked fresh/frozen fresh/stale hardware/software wired/wireless analog/digital acid/base acidic/alkaline cation/anion anode/cathode
agree/disagree admit/deny succeed/fail success/failure pass/fail won/lost bought/sold rose/fell grew/shrank fixed/variable fixed/floating liquid/solid liquid/illiquid solvent/insolvent inbound/outbound incoming/outgoing inflow/outflow inward/outward upstream/downstream uptime/downtime upgrade/downgrade upvote/downvote
follow/unfollow subscribe/unsubscribe subscribe/cancel mute/unmute freeze/unfreeze block/unblock pin/unpin check/uncheck select/deselect login/logout sign/resign hire/quit arrest/release arrest/free capture/release guilty/innocent guilt/innocence prosecution/defense plaintiff/defendant asset/debt surplus/deficit shortage/surplus inflation/deflation
proof/refutation prove/disprove support/oppose supporter/opponent for/against ally/enemy friend/enemy friend/foe peace/war victory/defeat optimist/pessimist optimistic/pessimistic introvert/extrovert voluntary/mandatory optional/required optional/mandatory temporary/permanent partial/full partial/complete partial/total
manual/automatic manually/automatically direct/indirect explicit/implicit abstract/concrete absolute/relative active/passive major/minor senior/junior superior/inferior natural/artificial real/fake genuine/fake original/copy odd/normal rare/common common/rare cheap/costly dear/cheap tighten/loosen tight/loose sharpen/blur
ancestor/descendant predecessor/successor prefix/suffix header/footer front/back forward/backward forwards/backwards forward/back clockwise/counterclockwise entrance/exit enter/exit enter/leave source/destination origin/destination producer/consumer import/outport sink/source hit/miss read-only/writable
cheaper/pricier safest/riskiest sooner/later near/far nearest/farthest nearest/furthest closest/farthest close/far minimum/most least/greatest greatest/smallest lend/owe owe/own debit/refund refund/charge pay/receive pay/earn spend/save spend/earn save/waste invest/divest long-term/short-term
sleep/wake sunrise/sunset rise/set reserve/release book/cancel reserve/cancel draft/sign approve/cancel invite/exclude invite/remove assign/unassign dawn/dusk beginning/end beginner/expert novice/expert amateur/professional question/answer hypothesis/conclusion vegetarian/meat tax-free/taxable sterile/fertile fertile/infertile upside/downside upload/fetch push/fetch compile/decompile assemble/disassemble engage/disengage
convex/concave benign/malignant chronic/acute systolic/diastolic artery/vein arterial/venous inhale/exhale expire/renew cancel/renew cancel/confirm confirm/deny pause/resume suspend/resume stop/resume stop/continue quit/continue hold/release keep/discard keep/delete keep/remove preserve/destroy retain/discard
around/across around/through along/across behind/inside behind/beyond past/through briefly/detail brief/detailed short/detailed concise/detailed briefly/thoroughly
everyone/someone everybody/somebody everyone/anyone most/few toward/away towards/away during/after during/before tomorrow/yesterday
whitelist/blacklist allowlist/denylist allowlist/blocklist minify/beautify lowercase/uppercase stale/current mutable/immutable signed/unsigned nullable/required parallel/sequential parallel/serial parallel/series concurrent/sequential recursive/iterative synchronous/parallel eager/lazy greedy/lazy stateless/stateful
deductible/premium premium/claim principal/interest call/option bid/ask bid/offer long/hedge bear/bull spot/forward spot/futures nominal/real accrual/cash simple/compound secured/unsecured recourse/nonrecourse vested/unvested realized/unrealized hedge/speculate
`;

/** The opposites of each stem. */
export const opposites = new WordTable<ReadonlySet<string>>(oppositePairs, (line, entries) => {
  const put = (one: string, other: string) => entries.set(one, new Set([...(entries.get(one) ?? []), other]));
  for (const pair of line.split(' ')) {
    const [one, other] = pair.split('/').map(stemOf);
    if (one === undefined || other === undefined || one === other) continue;
    put(one, other);
    put(other, one);
  }
});

export function areOpposite(one: Word, other: Word): boolean {
  return bases(one).some((base) => bases(other).some((there) => opposites.get(base)?.has(there) === true));
}

/** Base forms to look up: darken, darker and darkest are opposites of light, as dark is. */
function bases({ text, stem }: Word): readonly string[] {
  const found = [stem, text];
  for (const [, base] of [
    /^(.{3,})en$/.exec(stem),
    /^(.{3,})er$/.exec(text),
    /^(.{3,})est$/.exec(text),
  ].filter((match) => match !== null))
    if (base !== undefined)
      found.push(base, `${base}e`, base.replace(/i$/, 'y'), base.replace(/(.)\1$/, '$1'));
  return found;
}
