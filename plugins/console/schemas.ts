import { object, string } from '#core';

/** A URL that signs a browser in, once. */
export const signInSchema = object({ url: string() });

export const pageQuery = object({}, { code: string().allow('') });

/** The path of a page below `/console/`, such as `deliveries/<uuid>`. */
export const pageParams = object({}, { page: string().allow('') });
