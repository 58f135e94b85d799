// @ts-check
import { withTools } from 'weir-gateway/module';

/**
 * Gives every model a clock: a tool that the gateway answers. The client sees neither the call nor its result, only an
 * answer that knows the time, streamed or not and in every wire format.
 *
 * @type {import('weir-gateway/module').Module<{}>}
 */
const clock = {
  api: 1,
  name: 'clock',
  summary: 'Gives models a tool that tells the time.',
  version: '1.0.0',
  status: 'preview',
  protective: false,
  ifBroken: 'skip',
  touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
  options: { '~standard': { version: 1, vendor: 'weir-module-clock', validate: () => ({ value: {} }) } },

  handle: (exchange, next, kit) =>
    withTools([{ tool, answer: (input) => timeIn(Object(input).zone, kit.clock.now()) }], {
      exchange,
      next,
      kit,
    }),
};

/** @type {import('weir-gateway/module').Tool} */
const tool = {
  name: 'current_time',
  description: 'Tells the current date and time in a time zone.',
  input_schema: {
    type: 'object',
    properties: { zone: { type: 'string', description: 'An IANA name: Europe/Berlin. UTC unless given.' } },
  },
};

/**
 * @param {unknown} zone
 * @param {number} nowMs
 */
function timeIn(zone, nowMs) {
  const timeZone = typeof zone === 'string' ? zone : 'UTC';
  try {
    return new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long', timeZone }).format(nowMs);
  } catch {
    return { content: `There is no time zone "${timeZone}".`, isError: true };
  }
}

export default clock;
