import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../src/lib/json.ts';
import { answering } from './agents/scripted-turns.ts';
import { cacheablePartsOf, conversationDialects } from './support/conversation-dialects.ts';
import { requestJson } from './support/http-client.ts';
import { startGatewayOfFile } from './support/scripted-gateway.ts';

const { fake, weir } = await startGatewayOfFile({ WEIR_PIPELINE: 'compaction-bridge?holdout=0' });
const rule = 'Never touch the folder legacy/charts.';
const summarize =
  'Do not call any tools. Write a summary of the conversation so far, for another model that will continue it.';

for (const talk of conversationDialects)
  for (const stream of [false, true])
    test(`${talk.name}: what a summary lost is put back, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
      const summary = `The chart of ${talk.name} is on the front page, ${stream ? 'streamed' : 'in one piece'}.\nOnly the legend of the chart is missing.`;
      const tools = ['read', 'write', 'find'];
      const call = async (asked: JsonObject, said: string) => {
        fake.answerWith((request) => answering(request, { text: said }));
        const { path, body } = talk.sent({ ...asked, stream });
        const { status, text, headers } = await requestJson(`${weir.url}${path}`, { body });
        assert.equal(status, 200, text);
        return { modules: headers.get('x-weir-modules') ?? '', parts: cacheablePartsOf(fake.last) };
      };
      const answer = (text: string) => talk.answer({ text, calls: [] });
      const first = talk.opening(`Draw a chart of the river. ${rule}`, tools);
      await call(first, 'I draw it.');
      const second = talk.goingOn(first, answer('I draw it.'), 'The alarm is at 512 cm.');
      await call(second, 'It is drawn.');
      const asked = await call(talk.goingOn(second, answer('It is drawn.'), summarize), summary);
      assert.match(asked.modules, /compaction-bridge;kept=[1-9]/);
      const opening = talk.opening(`Continue from here.\n${summary}\nNow the legend.`, tools);
      const restored = await call(opening, 'Done.');
      assert.match(restored.modules, /compaction-bridge;kept=\d+;restored=[1-9]/);
      const said = JSON.stringify(restored.parts.turns);
      assert.equal(said.split('<before-compaction>').length, 2);
      assert.ok(said.includes(rule) && said.includes('512 cm'));
      const later = await call(talk.goingOn(opening, answer('Done.'), 'Thanks.'), 'Bye.');
      assert.deepEqual(later.parts.turns.slice(0, restored.parts.turns.length), restored.parts.turns);
      assert.equal(JSON.stringify(later.parts.turns).split('<before-compaction>').length, 2);
    });
