import type { Migration } from '../migrate.ts';

/** The part of an agent that made the call, such as a subagent. */
export const requestAgents: Migration = {
  name: 'request-agents',
  async up(db, { text }) {
    await db.schema.alterTable('requests').addColumn('agent', text).execute();
  },
};
