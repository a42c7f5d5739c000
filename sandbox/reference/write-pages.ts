import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { createPlatform } from '#core';
import { describedPlugins } from '../server/described-plugins.js';
import type { OpenApi } from './open-api.js';
import { type PageName, pageOf, pages } from './page.js';
import { assetsFolder, BASE, pageFile } from './pages.js';

/** Writes the reference of a sandbox with every plugin beside the compiled code. The build calls it. */
export async function writePages(): Promise<void> {
  const platform = createPlatform({
    plugins: describedPlugins(),
    publicUrl: BASE,
    admin: { key: 'put-together-and-never-called' },
  });
  const asset = (name: string): string => readFileSync(new URL(name, assetsFolder), 'utf8').trim();
  const assets = { style: asset('styles.css'), script: asset('page.js') };
  mkdirSync(new URL('.', pageFile('api')), { recursive: true });
  for (const name of Object.keys(pages) as PageName[]) {
    const document = JSON.parse(JSON.stringify(await platform.openApi(name))) as OpenApi;
    writeFileSync(pageFile(name), gzipSync(pageOf(name, document, assets), { level: 9 }));
  }
}
