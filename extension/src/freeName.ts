/** A name that no file has yet, found by making the file. */
import path from 'node:path';

/**
 * Call `make` with `file`, then with `name_2`, `name_3` and so on while it fails because there is
 * such a file. Returns the name that was made; rejects as `make` does for any other reason.
 */
export async function freeName(
  file: string,
  tries: number,
  make: (file: string) => Promise<void>,
): Promise<string> {
  const { dir, name, ext } = path.parse(file);
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? file : path.join(dir, `${name}_${number}${ext}`);
    try {
      await make(tried);
      return tried;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number >= tries) throw error;
    }
  }
}
