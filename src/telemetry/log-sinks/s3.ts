import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { Secret } from '../../lib/secret.ts';
import { limits } from '../limits.ts';
import { splitOnce } from './clickhouse.ts';
import { checkAccepted, type SinkTarget } from './log-sink.ts';

export interface S3Settings {
  /** With the bucket, and a prefix if wanted: `https://s3.eu-central-1.amazonaws.com/bucket/weir`. */
  readonly url: string;
  /** `access key id:secret access key`. */
  readonly key: Secret | undefined;
  readonly region: string;
}

/** Puts each batch into an object of its own, by the hour of its first call. A repeated attempt replaces the same object. */
export function createS3Target({ url, key, region }: S3Settings, egressFetch: EgressFetch): SinkTarget {
  return {
    name: 'the object store',
    flushMs: limits.s3FlushMs,
    callsAtOnce: limits.s3CallsAtOnce,
    async send({ id, atMs, text }) {
      const body = await promisify(gzip)(text);
      const { AwsV4Signer } = await import('aws4fetch');
      const hour = new Date(atMs).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/');
      const [accessKeyId = '', secretAccessKey = ''] = splitOnce(key?.reveal() ?? '');
      const signer = new AwsV4Signer({
        ...{ region, accessKeyId, secretAccessKey },
        service: 's3',
        method: 'PUT',
        url: `${url}/${hour}/${id}.jsonl.gz`,
        headers: {
          'content-type': 'application/gzip',
          'x-amz-content-sha256': hash('sha256', body, 'hex'),
        },
      });
      const { url: signed, headers } = await signer.sign();
      const response = await egressFetch(signed, { method: 'PUT', headers, body });
      await response.body?.cancel();
      checkAccepted('the object store', response.status);
    },
  };
}
