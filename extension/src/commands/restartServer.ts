/** Start the server anew, for when it misbehaves. */
import type { Command } from './command';

export const restartServer: Command = ({ server }) => server.restart();
