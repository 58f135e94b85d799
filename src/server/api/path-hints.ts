/** What clients of clouds, and of a base address that isn't right, ask for, and where the same is found here. */
const pathHints: readonly (readonly [path: { test(path: string): boolean }, instead: string])[] = [
  [
    /^\/openai\/(?:deployments|responses|v1)(?:\/|$)/,
    'send POST /v1/chat/completions or /v1/responses with the model azure/<deployment>',
  ],
  [
    /^\/model\/.+\/(?:converse|converse-stream|invoke|invoke-with-response-stream)$/,
    'send POST /v1/messages with the model bedrock/<model id>',
  ],
  [{ test: isVertexPrediction }, 'send POST /v1/messages with the model vertex/<model>'],
  [
    /\/(?:messages|messages\/count_tokens|chat\/completions|responses)\/*$/,
    'POST /v1/messages, /v1/chat/completions and /v1/responses are here, so the base address that your client was given has a part too many, or lacks its /v1',
  ],
];

/** Where to turn to; undefined where that isn't known. */
export function hintForPath(path: string): string | undefined {
  return pathHints.find(([asked]) => asked.test(path))?.[1];
}

function isVertexPrediction(path: string): boolean {
  const publishers = path.indexOf('/publishers/');
  const isPrediction = path.endsWith(':rawPredict') || path.endsWith(':streamRawPredict');
  return isPrediction && publishers >= 0 && path.lastIndexOf(':') > publishers + '/publishers/'.length;
}
