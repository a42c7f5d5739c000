/**
 * One process of a cluster as a service: it stops in an orderly way on SIGTERM, so that its shards are handed over within a second. Set these
 * variables, the same in every process except for POSTHORN_HOST:
 * POSTHORN_DATABASE_URL, POSTHORN_SECRET_KEY (64 hexadecimal digits), POSTHORN_ADMIN_KEY, POSTHORN_PUBLIC_URL (of the load balancer),
 * POSTHORN_SHARED_FOLDER, POSTHORN_HOST (the address at which the other processes reach this one), PORT (8080 if not given), and
 * POSTHORN_TRUSTED_PROXIES (addresses of the load balancer, separated by commas; without it, all clients have its address).
 */
import { start } from '../cluster.js';

const { env } = process;

function required(name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`set the variable ${name}`);
  return value;
}

const server = await start({
  databaseUrl: required('POSTHORN_DATABASE_URL'),
  secretKey: required('POSTHORN_SECRET_KEY'),
  adminKey: required('POSTHORN_ADMIN_KEY'),
  publicUrl: required('POSTHORN_PUBLIC_URL'),
  sharedFolder: required('POSTHORN_SHARED_FOLDER'),
  host: required('POSTHORN_HOST'),
  port: Number(env.PORT || 8080),
  trustedProxies: (env.POSTHORN_TRUSTED_PROXIES ?? '').split(',').filter((one) => one !== ''),
});
console.log(`a process of the cluster on ${server.info.uri}`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.stop().then(() => process.exit()));
