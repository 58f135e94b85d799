import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { styleLicences } from './style-licences.ts';

const gateway = process.env.WEIR_URL ?? 'http://127.0.0.1:3099';
/** Whose work is in the built files, with the notices that their licences ask for. */
const licences = 'licenses.json';
const paths = ['/v1', '/api', '/health', '/openapi.json', '/.well-known'];

/** `vite web` serves the sources, with a running gateway behind them. */
export default defineConfig({
  plugins: [react(), tailwindcss(), styleLicences(licences)],
  server: { proxy: Object.fromEntries(paths.map((path) => [path, gateway])) },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inside of other files: the policy of the page allows only files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: licences },
  },
});
