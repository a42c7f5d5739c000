/** A type that the compiler writes out, instead of its name, in the declarations of a package that imports only `posthorn`. */
export type Inlined<T> = T extends infer U ? { [K in keyof U]: U[K] } : never;
