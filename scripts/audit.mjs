// `node scripts/audit.mjs`: checks the production dependencies for known vulnerabilities, and fails for high and critical ones.
// Passes with a message if the registry does not respond.
import { spawnSync } from 'node:child_process';
import { root } from './compile.mjs';

const LIMIT_MS = 60_000;
const { stdout, error } = spawnSync('npm', ['audit', '--json', '--omit=dev'], { cwd: root, encoding: 'utf8', timeout: LIMIT_MS });
const { problem, counts, names } = read(stdout, error);
if (problem !== undefined) {
  console.log(`audit: skipped, the registry did not respond: ${problem}`);
} else {
  const found = Object.entries(counts).filter(([severity, count]) => severity !== 'total' && count > 0);
  console.log(
    `audit: ${found.length === 0 ? 'no known vulnerabilities' : found.map(([severity, count]) => `${count} ${severity}`).join(', ')}`,
  );
  for (const name of names) console.log(`  ${name}`);
  process.exitCode = (counts.high ?? 0) + (counts.critical ?? 0) > 0 ? 1 : 0;
}

function read(text, error) {
  if (error) return { problem: error.message };
  try {
    const { metadata, vulnerabilities = {}, message, error: refused } = JSON.parse(text);
    if (!metadata) return { problem: message ?? refused?.summary ?? 'a response without results' };
    return { counts: metadata.vulnerabilities, names: Object.values(vulnerabilities).map(({ name, severity }) => `${name}: ${severity}`) };
  } catch {
    return { problem: text.slice(0, 200) || 'no output' };
  }
}
