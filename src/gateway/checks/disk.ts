import { statfs } from 'node:fs/promises';
import { type Check, degraded, failing, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';

const mebibyte = 1024 * 1024;

/** Free space on the disk of a folder. */
export function diskCheck(folder: string, readSpace: typeof readDiskSpace = readDiskSpace): Check {
  return {
    name: 'disk',
    async run() {
      const { free, total } = await readSpace(folder);
      const detail = `${Math.floor(free / mebibyte)} of ${Math.floor(total / mebibyte)} MiB are free in ${folder}`;
      const hint =
        'free disk space, or set WEIR_DATA_DIR; WEIR_LOG_DAYS and WEIR_LOG_ROWS limit the request log';
      if (free < limits.diskBytesMin) return failing(detail, hint);
      const isLow = free < limits.diskBytesLow || free <= total * limits.diskShareLow;
      return isLow ? degraded(detail, hint) : passed(detail);
    },
  };
}

async function readDiskSpace(folder: string): Promise<{ readonly free: number; readonly total: number }> {
  const { bavail, bsize, blocks } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}
