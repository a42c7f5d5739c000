// `npm run crash` kills processes that write and deliver; `npm run crash -- --cluster` strikes a cluster and its database. Both compare what is
// left with what was acknowledged.
await import(process.argv.includes('--cluster') ? './crash/strike-cluster.js' : './crash/kill-writers.js');

export {};
