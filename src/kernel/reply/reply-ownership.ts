import type { CodeOwner } from './code-owner.ts';
import type { EndListener } from './ending.ts';
import type { Reply } from './reply.ts';

/** Operations on replies that only the gateway uses, not modules. */
export interface ReplyOwnership {
  /** Passes the reply to a module: code that is added from now on belongs to it. */
  setHolder(reply: Reply, holder: CodeOwner): void;
  /** The reply has passed all modules: code that is added from now on belongs to the gateway. */
  clearHolder(reply: Reply): Reply;
  /** Makes `maker` the owner of the code in this reply and its ancestors, up to the reply that it was given. */
  assignMaker(reply: Reply, maker: CodeOwner): void;
  /** The last reply derived from this one; undefined if that is `delivered`, or if it is being read. */
  findUnreadDescendant(reply: Reply, delivered: Reply): Reply | undefined;
  /** Calls `listener` once, when the first event arrives. */
  onStart(reply: Reply, listener: () => void): void;
  /** Adds a listener that belongs to the gateway, whoever holds the reply. */
  onEnd(reply: Reply, listener: EndListener): Reply;
  /** The same reply, unread, with all access of its current holder revoked. */
  revoke(reply: Reply): Reply;
  /** The reply that it was derived from, over any number of steps. */
  origin(reply: Reply): Reply;
}
