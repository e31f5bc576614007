/** PostGraphile 5 wants Node 22. All that it misses on Node 20, where it then fails inside pgSelect, is this. */
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
};
