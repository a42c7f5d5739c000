// `node scripts/audit.mjs`: known weaknesses of what users install. Fails for those that are high or critical; when the registry
// does not answer it says so and passes, as nothing is known then.
import { spawnSync } from 'node:child_process';
import { root } from './compile.mjs';

const LIMIT_MS = 60_000;
const { stdout, error } = spawnSync('npm', ['audit', '--json', '--omit=dev'], { cwd: root, encoding: 'utf8', timeout: LIMIT_MS });
const { problem, counts, names } = read(stdout, error);
if (problem !== undefined) {
  console.log(`audit: skipped, as the registry gave no answer: ${problem}`);
} else {
  const found = Object.entries(counts).filter(([severity, count]) => severity !== 'total' && count > 0);
  console.log(`audit: ${found.length === 0 ? 'nothing known' : found.map(([severity, count]) => `${count} ${severity}`).join(', ')}`);
  for (const name of names) console.log(`  ${name}`);
  process.exitCode = (counts.high ?? 0) + (counts.critical ?? 0) > 0 ? 1 : 0;
}

function read(text, error) {
  if (error) return { problem: error.message };
  try {
    const { metadata, vulnerabilities = {}, message, error: refused } = JSON.parse(text);
    if (!metadata) return { problem: message ?? refused?.summary ?? 'an answer without results' };
    return { counts: metadata.vulnerabilities, names: Object.values(vulnerabilities).map(({ name, severity }) => `${name}: ${severity}`) };
  } catch {
    return { problem: text.slice(0, 200) || 'no output' };
  }
}
