declare const type: unique symbol;

/** A typed reference to a service that a plugin offers to other plugins. The name identifies it: `<plugin>`, or `<plugin>.<name>`. */
export interface Service<T> {
  readonly name: string;
  /** Exists only for the compiler. */
  readonly [type]: T;
}

/** A service with the object that implements it. */
export interface Offer {
  readonly service: Service<unknown>;
  readonly implementation: unknown;
  /** The implementation for one plugin that asks for the service, if it depends on the plugin. */
  readonly implementationFor?: (plugin: string) => unknown;
  /** @deprecated for members of the platform that 0.1.0 had: the name under which JavaScript still finds the service there */
  readonly platformMember?: string;
}

/**
 * Declares a service: `service<Points>('loyalty')`. A plugin offers services under its own name only: `loyalty`, or `loyalty.<name>` for
 * further ones. It lists them in `offers` of its manifest, and other plugins get them from `context.service`.
 */
export const service = <T extends object>(name: string): Service<T> => Object.freeze({ name }) as Service<T>;

/**
 * Pairs a service with its implementation, for `services` in the return value of `register`: `services: [offer(points, { add, of })]`.
 * @param implementationFor returns the implementation for the plugin with this name, if a service must know which plugin uses it
 */
export const offer = <T extends object>(
  service: Service<T>,
  implementation: NoInfer<T>,
  implementationFor?: (plugin: string) => NoInfer<T>,
): Offer => ({ service, implementation, ...(implementationFor && { implementationFor }) });

/** The name of the plugin that offers a service. @throws TypeError when the value is another one, such as the function of a plugin */
export function ownerOf(service: Service<unknown>): string {
  if (typeof service === 'object' && typeof service?.name === 'string') return service.name.split('.')[0]!;
  throw new TypeError('it asks for a service without naming one: pass the value that `service` returned');
}
