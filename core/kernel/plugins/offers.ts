import type { ServiceAccess } from '../../contract/context.js';
import type { Contributions, PluginManifest } from '../../contract/plugin.js';
import { type Offer, ownerOf, type Service } from '../../contract/service.js';
import { PluginFailed } from '../../errors.js';
import { nameOf } from './order.js';

/** The services that plugins offer to each other. Plugins are added in the order of their needs. */
export interface Offers {
  /** Adds the services of a registered plugin. @throws PluginFailed unless it returned what its manifest offers */
  add(manifest: PluginManifest<object>, contributions: Contributions): void;
  accessOf(manifest: PluginManifest<object>): ServiceAccess;
}

/** The service of a loaded plugin, for a host application. @throws TypeError when no plugin offers it */
export function serviceOf<T extends object>(loaded: readonly { readonly contributions: Contributions }[], asked: Service<T>): T {
  const owner = ownerOf(asked);
  const offers = loaded.flatMap(({ contributions: { services = [] } }) => services);
  const found = offers.find(({ service }) => service.name === asked.name);
  if (!found) throw new TypeError(`no plugin of this platform offers the service '${asked.name}': add '${owner}' to \`plugins\``);
  return found.implementation as T;
}

export function createOffers(): Offers {
  /** By plugin, the offer of each service name. */
  const offered = new Map<string, ReadonlyMap<string, Offer>>();
  return {
    add({ name, offers = [] }, { services = [] }) {
      const fail = (why: string): never => {
        throw new PluginFailed(name, 'register', why);
      };
      const own = new Map<string, Offer>();
      for (const one of services) {
        const { service } = one;
        if (!offers.some(({ name: listed }) => listed === service.name))
          fail(`register returned the service '${service.name}', which offers does not list; add it to offers`);
        if (own.has(service.name)) fail(`register returned the service '${service.name}' twice; remove one`);
        own.set(service.name, one);
      }
      for (const [i, one] of offers.entries()) {
        if (offers.findIndex((other) => other.name === one.name) < i) fail(`offers lists the service '${one.name}' twice; remove one`);
        if (!own.has(one.name)) fail(`it offers the service '${one.name}'; return its implementation from register: services: [offer(…)]`);
      }
      offered.set(name, own);
    },

    accessOf({ name, needs = [], optional = [] }) {
      const needed = needs.map(nameOf);
      const find = <T extends object>(asked: Service<T>): T => {
        const owner = ownerOf(asked);
        const found = offered.get(owner)?.get(asked.name);
        if (found === undefined) throw new TypeError(`'${name}' asks for the service '${asked.name}', which '${owner}' does not offer`);
        return (found.implementationFor?.(name) ?? found.implementation) as T;
      };
      return {
        service(asked) {
          const owner = ownerOf(asked);
          if (needed.includes(owner)) return find(asked);
          throw new TypeError(
            optional.includes(owner)
              ? `'${name}' asks for the service '${asked.name}', but '${owner}' may be missing: use context.optionalService, or list it in needs`
              : `'${name}' asks for the service '${asked.name}' without needing its plugin: add '${owner}' to needs`,
          );
        },
        optionalService(asked) {
          const owner = ownerOf(asked);
          if (!needed.includes(owner) && !optional.includes(owner))
            throw new TypeError(`'${name}' asks for the service '${asked.name}' of another plugin: add '${owner}' to optional`);
          return offered.has(owner) ? find(asked) : undefined;
        },
      };
    },
  };
}
