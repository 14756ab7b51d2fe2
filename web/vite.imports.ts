import type { Plugin } from 'vite';

const IMPORT = /\bimport\((`\.\/[\w.-]+\.js`)\)/g;

/**
 * Asks for code a second time, at another address, where it did not arrive.
 *
 * Browsers remember that a module could not be fetched: its own address fails until the page is
 * loaded anew.
 */
export function importAgain(): Plugin {
  return {
    name: 'import-again',
    apply: 'build',
    generateBundle: {
      // After Vite itself, which finds the imports of a chunk to load beside it what they need.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== 'chunk') continue;
          file.code = file.code.replaceAll(
            IMPORT,
            (first, address: string) =>
              `${first}.catch(()=>import(${address}+"?again="+Date.now()))`,
          );
        }
      },
    },
  };
}
