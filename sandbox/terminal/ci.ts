/** Whether the command runs in continuous integration, where `CI` is set. `false` and `0` mean that it does not. */
export const isInCi = ({ CI }: NodeJS.ProcessEnv = process.env): boolean => CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
