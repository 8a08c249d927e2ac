/** What the preload script and the main process call each other by. Three channels carry everything; what goes over them is the contract's. */

/** The window's origin: `app://whetstone/runs`. A scheme of its own, so that the page has an origin, storage and History API addresses without a server. */
export const appScheme = 'app';
export const appOrigin = 'app://whetstone';

/** invoke(name, input) answers a Reply. */
export const callChannel = 'whetstone:call';
/** (name, payload) to the window. */
export const pushChannel = 'whetstone:push';
/** (address) to the window: go there, because a link was opened. */
export const goChannel = 'whetstone:go';
