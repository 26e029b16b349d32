// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in FPGA card: drives QEMU's "edu" PCI device, and registers a manager, a bridge and a region with the kernel's
 * own FPGA subsystem, and below the region a port with a node, as the DFL drivers do for a card of theirs. With the
 * parameter regions=0, cards have a manager alone, as a card has that is programmed as a whole.
 *
 * The manager has the attributes firmware and flags, as in Xilinx's kernels, and loads as the kernel's own does. An image
 * begins with what the card says afterwards in afu_id, 32 digits; one that begins otherwise fails, as a bad bitstream does.
 * A port's afu_id is writable, so that a scenario can crash its firmware (all ones), and it counts its resets.
 *
 * It also drives such a manager on a board, which no bus finds and a device tree describes. The kernel's own driver makes
 * the region of it that the tree describes.
 */
#include <linux/ctype.h>
#include <linux/cdev.h>
#include <linux/fpga-dfl.h>
#include <linux/fpga/fpga-bridge.h>
#include <linux/fpga/fpga-mgr.h>
#include <linux/fpga/fpga-region.h>
#include <linux/fs.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#define PORTS 8
#define ID_CHARS 32
#define AFU_ID "d8424dc4a4a3c413f89e433683f9040b"

static bool regions = true;
module_param(regions, bool, 0644);
MODULE_PARM_DESC(regions, "whether cards that are plugged from now on have a region");

static dev_t first_node;
static struct cdev nodes;
static DEFINE_IDA(numbers);

struct card {
	struct fpga_manager *manager;
	struct fpga_bridge *bridge;
	struct fpga_region *region;
	struct fpga_compat_id compat_id;
	struct platform_device *port;
	bool enabled;
	char afu_id[ID_CHARS + 1];
	unsigned int resets;
	unsigned int loads;
	u32 flags;
};

/* by the number of its port */
static struct card *cards[PORTS];

static enum fpga_mgr_states manager_state(struct fpga_manager *manager)
{
	return FPGA_MGR_STATE_OPERATING;
}

static int manager_write_init(struct fpga_manager *manager, struct fpga_image_info *image, const char *buffer, size_t count)
{
	return 0;
}

static int manager_write(struct fpga_manager *manager, const char *buffer, size_t count)
{
	struct card *card = manager->priv;
	int i;

	if (count < ID_CHARS)
		return -EIO;
	for (i = 0; i < ID_CHARS; i++)
		if (!isxdigit(buffer[i]))
			return -EIO;
	memcpy(card->afu_id, buffer, ID_CHARS);
	card->loads++;
	return 0;
}

static int manager_write_complete(struct fpga_manager *manager, struct fpga_image_info *image)
{
	return 0;
}

static const struct fpga_manager_ops manager_ops = {
	.state = manager_state,
	.write_init = manager_write_init,
	.write = manager_write,
	.write_complete = manager_write_complete,
};

static ssize_t flags_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct card *card = to_fpga_manager(dev)->priv;

	return sysfs_emit(buf, "%x\n", card->flags);
}

static ssize_t flags_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct card *card = to_fpga_manager(dev)->priv;
	int rc = kstrtou32(buf, 16, &card->flags);

	return rc ? rc : count;
}
static DEVICE_ATTR_RW(flags);

/* As Documentation/driver-api/fpga/fpga-programming.rst has it */
static ssize_t firmware_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct fpga_manager *manager = to_fpga_manager(dev);
	struct fpga_image_info *image = fpga_image_info_alloc(dev);
	int rc = -ENOMEM;

	if (!image)
		return rc;
	image->firmware_name = devm_kasprintf(dev, GFP_KERNEL, "%.*s", (int)strcspn(buf, "\n"), buf);
	image->flags = ((struct card *)manager->priv)->flags;
	if (image->firmware_name)
		rc = fpga_mgr_lock(manager);
	if (!rc) {
		rc = fpga_mgr_load(manager, image);
		fpga_mgr_unlock(manager);
	}
	fpga_image_info_free(image);
	return rc ? rc : count;
}
static DEVICE_ATTR_WO(firmware);

static struct attribute *manager_attrs[] = { &dev_attr_flags.attr, &dev_attr_firmware.attr, NULL };
static const struct attribute_group manager_group = { .attrs = manager_attrs };

static int bridge_enable_set(struct fpga_bridge *bridge, bool enable)
{
	((struct card *)bridge->priv)->enabled = enable;
	return 0;
}

static int bridge_enable_show(struct fpga_bridge *bridge)
{
	return ((struct card *)bridge->priv)->enabled;
}

static const struct fpga_bridge_ops bridge_ops = {
	.enable_set = bridge_enable_set,
	.enable_show = bridge_enable_show,
};

static ssize_t afu_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct card *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", card->afu_id);
}

static ssize_t afu_id_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct card *card = dev_get_drvdata(dev);

	if (count < ID_CHARS)
		return -EINVAL;
	memcpy(card->afu_id, buf, ID_CHARS);
	return count;
}
static DEVICE_ATTR_RW(afu_id);

static ssize_t resets_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct card *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", card->resets);
}
static DEVICE_ATTR_RO(resets);

static ssize_t loads_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct card *card = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", card->loads);
}
static DEVICE_ATTR_RO(loads);

/* of the card */
static struct attribute *card_attrs[] = { &dev_attr_afu_id.attr, &dev_attr_loads.attr, NULL };
ATTRIBUTE_GROUPS(card);

static struct attribute *port_attrs[] = { &dev_attr_afu_id.attr, &dev_attr_resets.attr, NULL };
ATTRIBUTE_GROUPS(port);

static long port_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct card *card = cards[iminor(file_inode(file)) - MINOR(first_node)];

	if (!card)
		return -ENODEV;
	switch (command) {
	case DFL_FPGA_GET_API_VERSION:
		return DFL_FPGA_API_VERSION;
	case DFL_FPGA_PORT_RESET:
		card->resets++;
		return 0;
	default:
		return -EINVAL;
	}
}

static const struct file_operations port_ops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = port_ioctl,
};

/* A platform device below the region, with a node of its own: /dev/dfl-port.N */
static int add_port(struct card *card)
{
	int rc, number = ida_alloc_max(&numbers, PORTS - 1, GFP_KERNEL);

	if (number < 0)
		return number;
	card->port = platform_device_alloc("dfl-port", number);
	if (!card->port) {
		ida_free(&numbers, number);
		return -ENOMEM;
	}
	cards[number] = card;
	card->port->dev.parent = &card->region->dev;
	card->port->dev.devt = first_node + number;
	card->port->dev.groups = port_groups;
	dev_set_drvdata(&card->port->dev, card);
	rc = platform_device_add(card->port);
	if (rc) {
		platform_device_put(card->port);
		cards[number] = NULL;
		ida_free(&numbers, number);
	}
	return rc;
}

static void remove_port(struct card *card)
{
	int number = card->port->id;

	cards[number] = NULL;
	platform_device_unregister(card->port);
	ida_free(&numbers, number);
}

/* A region of the card, and its bridge and port */
static int add_region(struct pci_dev *pci, struct card *card)
{
	struct fpga_region_info region = {};
	int rc;

	card->bridge = fpga_bridge_register(&pci->dev, "stand-in FPGA bridge", &bridge_ops, card);
	if (IS_ERR(card->bridge))
		return PTR_ERR(card->bridge);
	region.mgr = card->manager;
	region.compat_id = &card->compat_id;
	card->region = fpga_region_register_full(&pci->dev, &region);
	if (IS_ERR(card->region)) {
		rc = PTR_ERR(card->region);
		goto no_region;
	}
	rc = add_port(card);
	if (!rc)
		return 0;
	fpga_region_unregister(card->region);
no_region:
	fpga_bridge_unregister(card->bridge);
	return rc;
}

/* What any device with a manager begins with */
static struct card *add_card(struct device *dev)
{
	struct card *card = devm_kzalloc(dev, sizeof(*card), GFP_KERNEL);
	int rc;

	if (!card)
		return ERR_PTR(-ENOMEM);
	card->enabled = true;
	strscpy(card->afu_id, AFU_ID, sizeof(card->afu_id));
	dev_set_drvdata(dev, card);
	card->manager = fpga_mgr_register(dev, "stand-in FPGA manager", &manager_ops, card);
	if (IS_ERR(card->manager))
		return ERR_CAST(card->manager);
	rc = sysfs_create_group(&card->manager->dev.kobj, &manager_group);
	if (!rc)
		return card;
	fpga_mgr_unregister(card->manager);
	return ERR_PTR(rc);
}

static int card_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct card *card;
	int rc;

	rc = pcim_enable_device(pci);
	if (rc)
		return rc;
	card = add_card(&pci->dev);
	if (IS_ERR(card))
		return PTR_ERR(card);
	card->compat_id.id_h = 0x1234567890abcdefULL;
	card->compat_id.id_l = PCI_DEVID(pci->bus->number, pci->devfn);
	if (regions)
		rc = add_region(pci, card);
	if (rc)
		fpga_mgr_unregister(card->manager);
	return rc;
}

static void card_remove(struct pci_dev *pci)
{
	struct card *card = pci_get_drvdata(pci);

	if (card->port) {
		remove_port(card);
		fpga_region_unregister(card->region);
		fpga_bridge_unregister(card->bridge);
	}
	fpga_mgr_unregister(card->manager);
}

static const struct pci_device_id card_ids[] = { { PCI_DEVICE(0x1234, 0x11e8) }, {} };
MODULE_DEVICE_TABLE(pci, card_ids);

static struct pci_driver card_driver = {
	.name = "stand-in-fpga",
	.id_table = card_ids,
	.probe = card_probe,
	.remove = card_remove,
	.dev_groups = card_groups,
};

static int board_probe(struct platform_device *device)
{
	return PTR_ERR_OR_ZERO(add_card(&device->dev));
}

static void board_remove(struct platform_device *device)
{
	struct card *card = platform_get_drvdata(device);

	fpga_mgr_unregister(card->manager);
}

static const struct of_device_id board_ids[] = { { .compatible = "edgeplug,stand-in-fpga" }, {} };
MODULE_DEVICE_TABLE(of, board_ids);

static struct platform_driver board_driver = {
	.driver = {
		.name = "stand-in-fpga",
		.of_match_table = board_ids,
		.dev_groups = card_groups,
	},
	.probe = board_probe,
	.remove = board_remove,
};

static int __init start(void)
{
	int rc = alloc_chrdev_region(&first_node, 0, PORTS, "dfl-port");

	if (rc)
		return rc;
	cdev_init(&nodes, &port_ops);
	rc = cdev_add(&nodes, first_node, PORTS);
	if (!rc)
		rc = pci_register_driver(&card_driver);
	if (rc) {
		unregister_chrdev_region(first_node, PORTS);
		return rc;
	}
	rc = platform_driver_register(&board_driver);
	if (rc) {
		pci_unregister_driver(&card_driver);
		cdev_del(&nodes);
		unregister_chrdev_region(first_node, PORTS);
	}
	return rc;
}
module_init(start);

static void __exit stop(void)
{
	platform_driver_unregister(&board_driver);
	pci_unregister_driver(&card_driver);
	cdev_del(&nodes);
	unregister_chrdev_region(first_node, PORTS);
}
module_exit(stop);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("stand-in FPGA card for edgeplug's scenarios");
