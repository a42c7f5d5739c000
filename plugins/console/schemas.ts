import { array, object, oneOf, pagePlaces, string } from '#core';

/** A URL that signs a browser in, once. */
export const signInSchema = object({ url: string() });

export const pageQuery = object({}, { code: string().allow('') });

/** The path of a page below `/console/`, such as `deliveries/<uuid>`. */
export const pageParams = object({}, { page: string().allow('') });

/** A page that a plugin adds to the console. */
export const pluginPageSchema = object({
  plugin: string().description('The name of the plugin.'),
  name: string().description('The name of the page, unique in the plugin.'),
  title: string(),
  place: oneOf(...pagePlaces).description('`menu`: a page of its own. `number`, `conversation`: a panel beside each.'),
  calls: array(string()).description('The calls of the admin API that the page may make: method, and path below `/admin/v1`.'),
  events: array(string()).description('The events that the page receives; a name that ends with `.` stands for all that begin with it.'),
});
