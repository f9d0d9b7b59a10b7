/** Open what the profiled file has printed. */
import type { Command } from './command';

export const showOutput: Command = ({ output }) => {
  output.show();
};
