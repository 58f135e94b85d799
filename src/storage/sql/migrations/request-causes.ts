import type { Migration } from '../migrate.ts';

/** Who made a call, in which conversation, and why it failed. */
export const requestCauses: Migration = {
  name: 'request-causes',
  async up(db, { text }) {
    const columns = [
      ...['client', 'conversation', 'end_user'],
      ...['provider_error', 'error_message', 'provider_request_id', 'stop_reason'],
    ];
    for (const column of columns) await db.schema.alterTable('requests').addColumn(column, text).execute();
    for (const column of ['client', 'provider_error'])
      await db.schema.alterTable('request_kinds').addColumn(column, text).execute();
    // Ids begin with the time, so that each index has its calls in the order in which they came.
    for (const column of ['conversation', 'end_user'])
      await db.schema
        .createIndex(`requests_of_${column}`)
        .on('requests')
        .columns([column, 'id'])
        .where(column, 'is not', null)
        .execute();
  },
};
