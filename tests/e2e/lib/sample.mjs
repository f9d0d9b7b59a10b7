/** A sample in the workspace: its text as it is on the disk, and places in it found by their text. */
import { readFileSync } from 'node:fs';

export class Sample {
  constructor(file) {
    this.file = file;
  }

  get text() {
    return readFileSync(this.file, 'utf8');
  }

  get rows() {
    return this.text.split('\n');
  }

  /** 1-based number of the only line that contains `text`. */
  line(text) {
    const hits = this.rows.flatMap((row, index) => (row.includes(text) ? [index + 1] : []));
    if (hits.length !== 1) throw new Error(`"${text}" is on lines ${hits.join(', ') || 'none'}`);
    return hits[0];
  }

  row(line) {
    return this.rows[line - 1];
  }
}
