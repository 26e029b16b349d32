/**
 * Who has a device, and what must happen to it before somebody else gets it. One immutable record for each device
 * ({@link io.edgeplug.model.custody.Custody}), pure rules that change it ({@link io.edgeplug.model.custody.Rules}), decide what is
 * due ({@link io.edgeplug.model.custody.Due}) and who may have it ({@link io.edgeplug.model.custody.Verdict}), and one owner of all
 * records ({@link io.edgeplug.model.custody.Custodian}). Nothing here touches the node.
 */
package io.edgeplug.model.custody;
