import { Unavailable } from '#core';

/**
 * The packages that speak the protocols of mail. They are not part of the platform's installation: only platforms with e-mail numbers need them.
 * @throws Unavailable that names the command to install one
 */
export const libraries = {
  nodemailer: () => load('nodemailer', () => import('nodemailer')),
  'smtp-server': () => load('smtp-server', () => import('smtp-server')),
  imapflow: () => load('imapflow', () => import('imapflow')),
  'postal-mime': () => load('postal-mime', () => import('postal-mime')),
  'email-reply-parser': () => load('email-reply-parser', () => import('email-reply-parser')),
};

/** @throws Unavailable when the package is not installed */
export async function load<T>(name: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const all = Object.keys(libraries).join(' ');
    throw new Unavailable(
      `The package '${name}' is not installed, which e-mail numbers need: npm install ${all}`,
      undefined,
      'email_library_missing',
    );
  }
}
