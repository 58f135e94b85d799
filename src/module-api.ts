/** What a module author imports: `weir/module`. */
export { GatewayError } from './kernel/errors.ts';
export type { Exchange } from './kernel/exchange.ts';
export type * from './kernel/message.ts';
export { defineModule, type Handler, type Kit, type Module } from './kernel/module.ts';
export { Reply } from './kernel/reply/reply.ts';
