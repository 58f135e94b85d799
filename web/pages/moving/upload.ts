import { ApiError } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { passphraseHeader } from './passphrase-field.tsx';

export type Report = paths['/v1/import']['post']['responses'][200]['content']['application/json'];

export interface Upload {
  readonly file: File;
  /** Empty for none. */
  readonly passphrase: string;
  readonly onConflict: 'keep' | 'replace';
  readonly isDryRun: boolean;
}

/** Sends a file as it is read from disk. `fetch` would not tell how much has been sent. */
export function upload(
  { file, passphrase, onConflict, isDryRun }: Upload,
  onSent: (bytes: number) => void,
): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const request = new XMLHttpRequest();
  request.open('POST', `/v1/import?on_conflict=${onConflict}${isDryRun ? '&dry_run=1' : ''}`);
  request.responseType = 'json';
  request.setRequestHeader('content-type', 'application/x-weir-export');
  if (passphrase !== '') request.setRequestHeader(passphraseHeader, passphrase);
  request.upload.onprogress = ({ loaded }) => onSent(loaded);
  request.onload = () => {
    if (request.status === 200) resolve(request.response);
    else reject(new ApiError(request.status, request.response));
  };
  // As `fetch` says it.
  request.onerror = () => reject(new TypeError('Failed to fetch'));
  request.send(file);
  return promise;
}
