import { Audit } from '../../audit/audit.ts';
import { AuditChains } from '../../audit/chains.ts';
import { limits } from '../../audit/limits.ts';
import { OpenChanges } from '../../audit/open-changes.ts';
import { recordSettings } from '../../audit/settings-entry.ts';
import { identityIdOf } from '../../kernel/ports/identities.ts';
import type { SettingsChange } from '../../kernel/ports/reload.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface AuditParts {
  readonly settings: Pick<Settings, 'configurationVersion'>;
  readonly log: Log;
  readonly stores: Stores;
}

interface AuditPart extends Part {
  readonly audit: Audit;
  /** Never rejects. */
  recordSettings(change: SettingsChange | undefined): Promise<void>;
}

/** The audit log of accounts and of the instance. */
export function auditPart({ settings, log, stores }: AuditParts): AuditPart {
  const { database, clock } = stores;
  const chains = new AuditChains({
    table: database.audit,
    onError: (err) => log.error({ err }, 'could not store entries of the audit log; will retry'),
    onLost: (entries) => log.error({ entries }, 'entries of the audit log are lost'),
  });
  const changes = new OpenChanges({
    table: database.announcedChanges,
    clock,
    onError: (err) => log.error({ err }, 'could not look for changes without an entry; will retry'),
  });
  const audit = new Audit({
    log,
    chains,
    changes,
    clock,
    accountsOf: async (user) =>
      (await database.members.ofIdentity(identityIdOf(user))).map(({ account }) => account.id),
  });
  changes.start((record) => audit.addOnce(record));
  return {
    audit,
    async recordSettings(change) {
      const { configurationVersion: version } = settings;
      await recordSettings({ audit, table: database.audit }, { version, change }).catch((err: unknown) =>
        log.error({ err }, 'could not record a change of the settings in the audit log'),
      );
    },
    gauges: [
      {
        name: 'weir_audit_entries_waiting',
        help: `Entries of the audit log waiting to be stored, max ${limits.entriesWaitingMax}`,
        read: () => chains.waiting,
      },
      {
        name: 'weir_audit_entries_lost_total',
        help: 'Lost entries of the audit log',
        read: () => chains.lost,
      },
    ],
    features: ['audit'],
    async close(untilMs) {
      audit.flush();
      if (!(await chains.drain(untilMs)))
        log.error({ entries: chains.waiting }, 'some entries of the audit log could not be stored');
      await changes.stop();
    },
  };
}
