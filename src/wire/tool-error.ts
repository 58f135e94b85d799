/** How a failed tool says so in formats that have no field for it. */
export const toolErrorPrefix = '[tool error] ';
