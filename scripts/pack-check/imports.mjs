// Imports what it is told, and fails when that leaves something behind: globals, listeners, timers, threads, changed variables.
const look = () => ({
  globals: Object.getOwnPropertyNames(globalThis).sort(),
  listeners: process.eventNames().map(String).sort(),
  resources: process.getActiveResourcesInfo().filter((name) => !/^(FSReq|Immediate|CloseReq|Microtask|TTYWrap|PipeWrap)/.test(name)),
  environment: Object.entries(process.env).map((pair) => pair.join('=')),
  prototypes: [Object, Array, String, Promise, Function, Reflect].flatMap((one) => Object.getOwnPropertyNames(one.prototype ?? one)),
});

// hapi is the host's own.
await import('@hapi/hapi');
const before = look();
for (const subpath of process.argv.slice(2)) {
  const module = await import(subpath);
  if (Object.keys(module).length === 0) throw new Error(`${subpath} exports nothing`);
  await new Promise((resolve) => setImmediate(resolve));
  for (const [what, found] of Object.entries(look())) {
    const added = found.filter((one) => !before[what].includes(one));
    if (added.length > 0 || found.length !== before[what].length) throw new Error(`importing ${subpath} changes ${what}: ${added}`);
  }
}
